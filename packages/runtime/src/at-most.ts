/**
 * Options for an LRU cache whose memory grows with its entries. `max` would allocate arrays of that length immediately, which took
 * a sixth of the app's own time in a profile of forty starts (lru-cache 11).
 */
export const lruOptions = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
