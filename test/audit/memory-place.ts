import type { AnchorPlace } from '@signalman/durable'

/** An anchor in memory, for the records of tests. */
export const createMemoryPlace = (records: string[] = [], name = 'file:a'): AnchorPlace => ({
  name,
  readEnd: async () => records.join('\n'),
  append: async (text) => void records.push(text),
})
