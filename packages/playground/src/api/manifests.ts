import { manifestFile } from '../manifest/schema.ts'
import type { Fields } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import { ApiError, type Args, required } from './method.ts'

/** The only app configuration token that the playground accepts. In Slack, each person has their own per workspace. */
const CONFIG_TOKEN = 'xoxe.xoxp-playground'

/**
 * Validates a manifest as Slack does before it creates an app (https://docs.slack.dev/reference/methods/apps.manifest.validate,
 * November 2026).
 */
export function validateManifest(token: string, args: Args): Fields {
  if (token === '') throw new ApiError('not_authed')
  if (token !== CONFIG_TOKEN)
    throw new ApiError(/^xox[bp]-|^xapp-/.test(token) ? 'not_allowed_token_type' : 'invalid_auth')
  const parsed = manifestFile.safeParse(parseJson(required(args, 'manifest')))
  if (parsed.success) return { errors: [] }
  const errors = parsed.error.issues.map(({ path, message }) => ({
    message,
    pointer: `/${path.map(String).join('/')}`,
  }))
  throw new ApiError(
    'invalid_manifest',
    errors.map(({ message, pointer }) => `${pointer} ${message}`),
    undefined,
    { errors },
  )
}
