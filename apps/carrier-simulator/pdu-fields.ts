/** Command ids (SMPP 3.4, 5.1.2.1). A response has the top bit set. */
export const Command = {
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  bindTransceiver: 0x09,
  enquireLink: 0x15,
} as const;

export const RESPONSE_BIT = 0x8000_0000;
export const GENERIC_NACK = 0x8000_0000;

/** Command statuses that the simulator answers (SMPP 3.4, 5.1.3). */
export const Status = {
  ESME_ROK: 0x00,
  ESME_RINVMSGLEN: 0x01,
  ESME_RINVCMDLEN: 0x02,
  ESME_RINVCMDID: 0x03,
  ESME_RINVBNDSTS: 0x04,
  ESME_RALYBND: 0x05,
  ESME_RSYSERR: 0x08,
  ESME_RINVSRCADR: 0x0a,
  ESME_RINVDSTADR: 0x0b,
  ESME_RBINDFAIL: 0x0d,
  ESME_RINVPASWD: 0x0e,
  ESME_RINVSYSID: 0x0f,
  ESME_RMSGQFUL: 0x14,
  ESME_RTHROTTLED: 0x58,
  ESME_RINVEXPIRY: 0x62,
  ESME_RINVOPTPARSTREAM: 0xc0,
} as const;

/** Tags of optional parameters (SMPP 3.4, 5.3.2). */
export const Tag = {
  receiptedMessageId: 0x001e,
  userMessageReference: 0x0204,
  sarMsgRefNum: 0x020c,
  sarTotalSegments: 0x020e,
  sarSegmentSeqnum: 0x020f,
  scInterfaceVersion: 0x0210,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const;

/** The words of a receipt's text and the numbers of its message_state (SMPP 3.4, 5.2.28 and Appendix B). */
export const MESSAGE_STATES = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
} as const;
export type MessageState = keyof typeof MESSAGE_STATES;

export const HEADER_OCTETS = 16;
/** Above a legal submit_sm with 64 KiB of message_payload (SMPP 3.4, 5.3.2.32). */
export const COMMAND_LENGTH_MAX = 66 * 1024;
export const SEQUENCE_MAX = 0x7fff_ffff;
/** esm_class of a delivery receipt (SMPP 3.4, 5.2.12). */
export const ESM_CLASS_RECEIPT = 0x04;
/** esm_class bit: the user data begins with a header. */
export const ESM_CLASS_UDHI = 0x40;

/** A number or a name with its type of number and numbering plan (SMPP 3.4, 5.2.5 and 5.2.6). */
export interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly value: string;
}
