import type { EphemeralState } from '@signalman/durable'

/** State in which nothing is kept: nobody has said anything about server addresses. */
export const NOTHING_KEPT = { findUnder: async () => new Map() } as unknown as EphemeralState
