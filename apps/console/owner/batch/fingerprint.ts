/**
 * A short mark of bytes, by which the console knows a file again (FNV-1a of four bytes at a time, twice). It guards
 * against mistakes, not against forgery; `crypto.subtle` is missing where a page comes over plain HTTP.
 */
export function fingerprintOf(bytes: Uint8Array): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  const words = bytes.length >>> 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < words; index += 1) {
    const word = view.getUint32(index * 4, true);
    low = Math.imul(low ^ word, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ word, 0x85ebca6b);
    high ^= high >>> 13;
  }
  for (let index = words * 4; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x85ebca6b);
  }
  return [low, high, bytes.length].map((part) => (part >>> 0).toString(36)).join('-');
}
