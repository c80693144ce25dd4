/** A feature that an app manifest can turn on, with Slack's requirements. */
export interface PlatformFeature {
  /** Its key in the manifest. */
  readonly path: readonly string[]
  /** Its name in a sentence. */
  readonly title: string
  /** Bot scopes that it needs. */
  readonly scopes?: readonly string[]
  /** Bot events that it must subscribe to. */
  readonly events?: readonly string[]
  /** Keys of `settings` and their values. */
  readonly settings?: Readonly<Record<string, string | boolean>>
  /** The maximum number of entries under its key. */
  readonly maxEntries?: number
}

/**
 * The features that a manifest can turn on, apart from messages and modals. (https://docs.slack.dev/reference/app-manifest and the
 * manifests of Slack's own sample apps, July to November 2026)
 */
export const PLATFORM_FEATURES = {
  slash_commands: {
    path: ['features', 'slash_commands'],
    title: 'Slash commands',
    scopes: ['commands'],
    maxEntries: 50,
  },
  shortcuts: {
    path: ['features', 'shortcuts'],
    title: 'Shortcuts',
    scopes: ['commands'],
    maxEntries: 10,
  },
  functions: {
    path: ['functions'],
    title: 'Workflow steps',
    events: ['function_executed'],
    settings: { function_runtime: 'remote', org_deploy_enabled: true },
    maxEntries: 50,
  },
  rich_previews: {
    path: ['features', 'rich_previews'],
    title: 'Work objects',
    events: ['entity_details_requested'],
  },
  mcp_servers: {
    path: ['mcp_servers'],
    title: 'Tools for Slackbot',
    scopes: ['mcp:connect'],
    maxEntries: 20,
  },
  org_deploy_enabled: {
    path: ['settings', 'org_deploy_enabled'],
    title: 'Organization-wide installation',
  },
} as const satisfies Record<string, PlatformFeature>

/** The types of work objects (@slack/types 3.2). */
export const ENTITY_TYPES: ReadonlySet<string> = new Set(
  ['task', 'file', 'item', 'incident', 'content_item'].map((type) => `slack#/entities/${type}`),
)
