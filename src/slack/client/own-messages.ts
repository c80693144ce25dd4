import type { webApi } from '@slack/bolt'

/** Any app may post any metadata. In an organization the app has a bot in each workspace, of which Slack names one. */
export async function ownMessages(
  client: webApi.WebClient,
): Promise<(message: Readonly<Record<string, unknown>>) => boolean> {
  const { bot_id, user_id, is_enterprise_install } = await client.auth.test()
  if (is_enterprise_install) return (message) => message.bot_id !== undefined
  return (message) =>
    (bot_id !== undefined && message.bot_id === bot_id) || (user_id !== undefined && message.user === user_id)
}
