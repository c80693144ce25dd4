import type { WatchFilter } from '../../../src/features/watching/rules/watch.ts'

/** The filter of a watch of all health checks. */
export const ALL_CHECKS: WatchFilter = { include: [], exclude: [] }
