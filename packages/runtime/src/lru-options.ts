/**
 * Options for an LRU cache whose memory grows with its entries. With `max`, lru-cache 11 allocates arrays of that length
 * immediately, which took a sixth of the app's own startup time in a profile.
 */
export const lruOptions = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
