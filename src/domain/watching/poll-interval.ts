/** How often the checks of a workspace are polled, in seconds: unless the operator says otherwise, and within which bounds. */
export const POLL_SECONDS = { usual: 60, least: 1, most: 3600 } as const
