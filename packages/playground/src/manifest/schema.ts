import { z } from 'zod'
import { checkManifest } from '../platform/check-manifest.ts'

const requestUrl = z
  .string()
  .max(3500)
  .regex(/^https?:\/\//, 'must start with http:// or https://')
const strings = (max: number, maxLength = 50) => z.array(z.string().max(maxLength)).max(max)
const isDistinct = (list: readonly string[]) => new Set(list).size === list.length
const eventNames = strings(100).refine(isDistinct, 'must not name an event twice')

const slashCommand = z.strictObject({
  command: z.string().startsWith('/'),
  url: requestUrl.optional(),
  description: z.string(),
  usage_hint: z.string().optional(),
  should_escape: z.boolean().optional(),
})

const shortcut = z.strictObject({
  name: z.string(),
  type: z.literal('message'),
  callback_id: z.string(),
  description: z.string(),
})

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
  event_subscriptions: z
    .strictObject({
      request_url: requestUrl.optional(),
      user_events: eventNames.optional(),
      bot_events: eventNames.optional(),
    })
    .optional(),
  interactivity: z
    .strictObject({
      is_enabled: z.boolean(),
      request_url: requestUrl.optional(),
      message_menu_options_url: requestUrl.optional(),
    })
    .optional(),
  org_deploy_enabled: z.boolean().optional(),
  socket_mode_enabled: z.boolean().optional(),
  token_rotation_enabled: z.boolean().optional(),
})

/**
 * The structure of an app manifest as Slack documents it, for both versions of the format
 * (https://docs.slack.dev/reference/app-manifest, November 2026). Features that the playground doesn't have are refused.
 */
const manifestShape = z.strictObject({
  $schema: z.string().optional(),
  _metadata: z
    .strictObject({
      schema_version: z.int().optional(),
      min_version: z.int().optional(),
      major_version: z.int().optional(),
      minor_version: z.int().optional(),
    })
    .optional(),
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
