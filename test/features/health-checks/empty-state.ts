import type { EphemeralState } from '@signalman/durable'

/** Ephemeral state that stores nothing, so nothing is known about server addresses. */
export const EMPTY_STATE = { findUnder: async () => new Map() } as unknown as EphemeralState
