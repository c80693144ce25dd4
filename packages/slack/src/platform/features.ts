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
  /** The Slack plans on which it works. By default, every plan. */
  readonly plan?: string
  /** Restrictions if other workspaces install an app with it. By default, none. */
  readonly distribution?: string
  /** A question on which Slack's documentation is silent or contradicts itself. */
  readonly openQuestion?: string
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
    plan: 'paid plans',
    distribution:
      'The app has to be installed for the whole organization before its steps appear, and it can’t be distributed publicly.',
    openQuestion:
      'An older page of Slack’s documentation says that an app doesn’t have to subscribe to function_executed. All of Slack’s samples subscribe to it, so Signalman does too.',
  },
  rich_previews: {
    path: ['features', 'rich_previews'],
    title: 'Work objects',
    events: ['entity_details_requested'],
    openQuestion:
      'Slack’s reference and some of its samples contain features.rich_previews, but Slack’s manifest schema (2.0.0) doesn’t. If Slack refuses the manifest, leave work objects off.',
  },
  mcp_servers: {
    path: ['mcp_servers'],
    title: 'Tools for Slackbot',
    scopes: ['mcp:connect'],
    maxEntries: 20,
    openQuestion:
      'Slack has been rolling out Slackbot’s MCP client since June 2026, so a workspace may not have it yet. Slack doesn’t document which revision of MCP it uses. Signalman supports the 2025 and 2026 revisions.',
  },
  org_deploy_enabled: {
    path: ['settings', 'org_deploy_enabled'],
    title: 'Organization-wide installation',
    plan: 'Enterprise plans',
  },
} as const satisfies Record<string, PlatformFeature>

export type PlatformFeatureName = keyof typeof PLATFORM_FEATURES

/** The types of work objects (@slack/types 3.2). */
export const ENTITY_TYPES: ReadonlySet<string> = new Set(
  ['task', 'file', 'item', 'incident', 'content_item'].map((type) => `slack#/entities/${type}`),
)
