/** Slack's scopes, events, and methods as data. */
export { checkManifest } from './check-manifest.ts'
export { EVENT_SCOPES } from './events.ts'
export { METHOD_SCOPES } from './methods.ts'
