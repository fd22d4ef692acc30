import { PduCursor } from './pdu-cursor.js';

/** The fields of bind_transmitter, bind_receiver and bind_transceiver that the simulator uses (SMPP 3.4, 4.1). */
export interface BindRequest {
  readonly systemId: string;
  readonly password: string;
  readonly interfaceVersion: number;
}

/** @throws PduError when the body ends too early */
export function readBind(pdu: Buffer): BindRequest {
  const body = new PduCursor(pdu);
  const systemId = body.cString();
  const password = body.cString();
  body.cString();
  return { systemId, password, interfaceVersion: body.octet() };
}
