/** Tables of what Slack accepts, for the manifest, `doctor`, the documentation, and the local Slack. */
export { BOT_SCOPES } from './bot-scopes.ts'
export { checkManifest, describeViolation, hasFeature, type ManifestViolation } from './check-manifest.ts'
export { EVENT_SCOPES, USER_EVENTS } from './events.ts'
export { PLATFORM_FEATURES, type PlatformFeature, type PlatformFeatureName } from './features.ts'
export { METHOD_SCOPES, methodScopes } from './methods.ts'
