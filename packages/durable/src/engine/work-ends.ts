import type { WorkEnd } from '../work/leases.ts'

export const DONE: WorkEnd = { state: 'done' }

/** This turn of it is done, and the next one comes after this time: its attempts are counted from zero. */
export const anewAfter = (dueInMs: number): WorkEnd => ({ state: 'waiting', dueInMs, isAnew: true })
