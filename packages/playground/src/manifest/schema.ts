import { z } from 'zod'
import { checkManifest } from '../platform/check-manifest.ts'

const requestUrl = z
  .string()
  .regex(/^https?:\/\//, 'must start with http:// or https://')
  .optional()
const strings = z.array(z.string()).optional()

const slashCommand = z.object({
  command: z.string().startsWith('/'),
  url: requestUrl,
  description: z.string(),
  usage_hint: z.string().optional(),
  should_escape: z.boolean().optional(),
})

const shortcut = z.object({ name: z.string(), callback_id: z.string(), description: z.string() })

/** The parts of an app manifest that the playground uses (https://docs.slack.dev/reference/app-manifest, November 2026). */
export const manifestFile = z
  .object({
    display_information: z.object({ name: z.string() }),
    features: z
      .object({
        bot_user: z.object({ display_name: z.string() }).optional(),
        shortcuts: z.array(shortcut).optional(),
        slash_commands: z.array(slashCommand).optional(),
      })
      .optional(),
    oauth_config: z
      .object({ scopes: z.object({ bot: strings, bot_optional: strings }).optional() })
      .optional(),
    settings: z
      .object({
        event_subscriptions: z.object({ request_url: requestUrl, bot_events: strings }).optional(),
        interactivity: z.object({ request_url: requestUrl, message_menu_options_url: requestUrl }).optional(),
        socket_mode_enabled: z.boolean().optional(),
      })
      .optional(),
  })
  .superRefine((manifest, context) => {
    for (const message of checkManifest(manifest)) context.addIssue({ code: 'custom', message })
  })

export type ManifestFile = z.infer<typeof manifestFile>
