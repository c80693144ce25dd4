/** Slack's scopes, events, features, and methods as data, for the manifest, `doctor`, the documentation, and the playground. */
export { BOT_SCOPES } from './bot-scopes.ts'
export { checkManifest, describeViolation, hasFeature, type ManifestViolation } from './check-manifest.ts'
export { EVENT_SCOPES, USER_EVENTS } from './events.ts'
export { PLATFORM_FEATURES, type PlatformFeature, type PlatformFeatureName } from './features.ts'
export { METHOD_SCOPES, methodScopes } from './methods.ts'
