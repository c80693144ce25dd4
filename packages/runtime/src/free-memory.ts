/**
 * Frees the memory of bytes at once. It's outside the heap, so V8 hardly sees it: bytes that live a little longer than the youngest
 * objects wait for the collection of the whole heap, which runs after another 64 MiB of them and stops everything for some 20 ms.
 */
export function freeMemory({ buffer, byteLength }: Buffer): void {
  // Memory that may be shared is left to the garbage collector.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
