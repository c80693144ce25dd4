import type { EphemeralState } from '@signalman/durable'

/** Ephemeral state that stores nothing, so nothing is known about server addresses. */
export const NOTHING_KEPT = { findUnder: async () => new Map() } as unknown as EphemeralState
