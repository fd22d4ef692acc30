/** The user_message_reference of a segment; `segment_reference` in the database computes the same. */
export function segmentReference(messageId: string, position: number): number {
  return (Number.parseInt(messageId.slice(-4), 16) + position) & 0xffff;
}
