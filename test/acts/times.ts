/** The lease: how long work belongs to a process without a heartbeat. */
export const LEASE_MS = 800
/** The timeout of a call to the service. */
export const CALLS_MS = 1500
/** After this time, a write is certainly over: longer than any call and any delay of the service. */
export const SETTLE_MS = 2500
/** Less than the difference between the two. */
export const STANDSTILL_MS = 500
