import { z } from 'zod'
import { checkManifest } from '../platform/check-manifest.ts'

const requestUrl = z
  .string()
  .max(3500)
  .regex(/^https?:\/\//, 'must start with http:// or https://')
const strings = (max: number, maxLength = 50) => z.array(z.string().max(maxLength)).max(max)
const isDistinct = (list: readonly string[]) => new Set(list).size === list.length
const eventNames = strings(100).refine(isDistinct, 'must not name an event twice')
const anyObject = z.record(z.string(), z.unknown())

const slashCommand = z.strictObject({
  command: z.string().startsWith('/'),
  url: requestUrl.optional(),
  description: z.string(),
  usage_hint: z.string().optional(),
  should_escape: z.boolean().optional(),
})

const shortcut = z.strictObject({
  name: z.string(),
  type: z.enum(['message', 'global']),
  callback_id: z.string(),
  description: z.string(),
})

const prompts = z.array(z.strictObject({ title: z.string(), message: z.string() }))

const features = z.strictObject({
  app_home: z
    .strictObject({
      home_tab_enabled: z.boolean().optional(),
      messages_tab_enabled: z.boolean().optional(),
      messages_tab_read_only_enabled: z.boolean().optional(),
    })
    .optional(),
  bot_user: z.strictObject({ display_name: z.string(), always_online: z.boolean().optional() }).optional(),
  shortcuts: z.array(shortcut).min(1).optional(),
  slash_commands: z.array(slashCommand).min(1).optional(),
  functions: z.array(anyObject).max(50).optional(),
  workflow_steps: z.array(anyObject).min(1).max(10).optional(),
  /**
   * `rich_previews` and `search`: https://docs.slack.dev/reference/app-manifest; slack-samples/bolt-js-search-template (November
   * 2026).
   */
  rich_previews: z
    .strictObject({ is_active: z.boolean().optional(), entity_types: strings(50).optional() })
    .optional(),
  search: z
    .strictObject({
      search_function_callback_id: z.string(),
      search_filters_function_callback_id: z.string().optional(),
    })
    .optional(),
  unfurl_domains: strings(5, 255).min(1).optional(),
  assistant_view: z
    .strictObject({ assistant_description: z.string(), suggested_prompts: prompts.optional() })
    .optional(),
  agent_view: z
    .strictObject({
      agent_description: z.string().max(300).optional(),
      suggested_prompts: prompts.max(4).optional(),
      actions: z.array(z.strictObject({ name: z.string(), description: z.string() })).optional(),
    })
    .optional(),
})

const oauthConfig = z.strictObject({
  redirect_urls: strings(1000, 2500).optional(),
  scopes: z
    .strictObject({
      user: strings(255).optional(),
      bot: strings(255).optional(),
      user_optional: strings(255).optional(),
      bot_optional: strings(255).optional(),
    })
    .optional(),
  token_management_enabled: z.boolean().optional(),
  pkce_enabled: z.boolean().optional(),
})

const settings = z.strictObject({
  allowed_ip_address_ranges: z.array(z.string()).min(1).max(50).optional(),
  event_subscriptions: z
    .strictObject({
      request_url: requestUrl.optional(),
      user_events: eventNames.optional(),
      bot_events: eventNames.optional(),
      metadata_subscriptions: z
        .array(z.strictObject({ app_id: z.string(), event_type: z.string().max(50) }))
        .min(1)
        .max(20)
        .optional(),
    })
    .optional(),
  incoming_webhooks: z.strictObject({ incoming_webhooks_enabled: z.boolean().optional() }).optional(),
  interactivity: z
    .strictObject({
      is_enabled: z.boolean(),
      request_url: requestUrl.optional(),
      message_menu_options_url: requestUrl.optional(),
    })
    .optional(),
  org_deploy_enabled: z.boolean().optional(),
  socket_mode_enabled: z.boolean().optional(),
  is_hosted: z.boolean().optional(),
  token_rotation_enabled: z.boolean().optional(),
  siws_links: z.strictObject({ initiate_uri: z.string().max(3500).optional() }).optional(),
  hermes_app_type: z.string().optional(),
  function_runtime: z.string().optional(),
  is_mcp_enabled: z.boolean().optional(),
})

/**
 * The structure of an app manifest as Slack documents it, for both versions of the format
 * (https://docs.slack.dev/reference/app-manifest, November 2026). Objects that the playground doesn't use aren't validated in
 * detail.
 */
export const manifestShape = z.strictObject({
  $schema: z.string().optional(),
  _metadata: z
    .strictObject({
      schema_version: z.int().optional(),
      min_version: z.int().optional(),
      major_version: z.int().optional(),
      minor_version: z.int().optional(),
    })
    .optional(),
  app_directory: anyObject.optional(),
  display_information: z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    background_color: z
      .string()
      .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a color such as #1d3a5f')
      .optional(),
    long_description: z.string().optional(),
  }),
  features: features.optional(),
  oauth_config: oauthConfig.optional(),
  settings: settings.optional(),
  functions: anyObject.optional(),
  workflows: anyObject.optional(),
  datastores: anyObject.optional(),
  outgoing_domains: strings(10, 255).optional(),
  types: anyObject.optional(),
  external_auth_providers: anyObject.optional(),
  /** https://docs.slack.dev/reference/app-manifest (November 2026). */
  mcp_servers: z.record(z.string(), z.looseObject({ url: z.string().max(500) })).optional(),
})

export type ManifestFile = z.infer<typeof manifestShape>

/** Validates a manifest as Slack does: its structure, and rules that involve several fields. */
export const manifestFile = z.unknown().transform((input, context): ManifestFile => {
  const parsed = manifestShape.safeParse(input)
  for (const { path, message } of parsed.error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message })
  for (const { path, message, rule } of checkManifest(input))
    context.addIssue({ code: 'custom', path: [...path], message: `${message} (${rule})` })
  return parsed.data ?? z.NEVER
})
