import type { EphemeralState } from '@signalman/durable'

/** Ephemeral state that stores nothing, so nothing is known about server addresses. */
export const EMPTY_STATE = { findByKeys: async () => new Map() } as unknown as EphemeralState
