import { createId } from '../ids.ts'
import { isFields, parseJson } from '../json.ts'
import type { Fields, Json, Post, ToolAnswer } from '../protocol.ts'
import { actor, Refused, SENTENCES, type Slack } from '../slack.ts'

/** How long a call may take, and the protocol revision. Slack doesn't say which one it uses. */
const PATIENCE_MS = 60_000
const REVISION = '2025-06-18'

/** The answer as JSON, or the last event of a stream. */
function read(text: string): Json | undefined {
  const events = text.split('\n').filter((line) => line.startsWith('data:'))
  return parseJson(events.at(-1)?.slice('data:'.length) ?? text)
}

/**
 * Slackbot asks the app's tools server for its tools, or calls one on someone's behalf. Signed like every request, with the
 * person in `params._meta.slack`. (https://docs.slack.dev/reference/app-manifest `mcp_servers`; slack-samples/bolt-js-examples
 * `ai`; November 2026. Not settled: which further fields a call has.)
 */
export async function askTools(
  slack: Slack,
  { user, method, params = {} }: Post<'tools'>,
): Promise<ToolAnswer> {
  const person = actor(slack, user)
  if (slack.manifest.requestUrls.tools === undefined)
    throw new Refused('no_tools', 'The manifest has no mcp_servers.')
  if (slack.manifest.isSocketMode)
    throw new Refused(
      'no_tools',
      'Slack asks a tools server at its address, which an app in Socket Mode has not.',
    )
  const { id: team_id, organization } = slack.people.workspaceOf(person)
  const who: Fields = { user_id: person.id, team_id, enterprise_id: organization?.id ?? null }
  const call: Fields = {
    ...{ jsonrpc: '2.0', id: createId('Q'), method: `tools/${method}` },
    params: { ...params, _meta: { slack: who } },
  }
  const told = await slack.line.tell({
    ...{ kind: `mcp:tools/${method}`, user: person.id, contentType: 'application/json', readable: call },
    body: JSON.stringify(call),
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': REVISION },
    patienceMs: PATIENCE_MS,
  })
  const answer = read(told.answer.text)
  if (isFields(answer) && isFields(answer.result)) return { ok: true, result: answer.result }
  const fault = isFields(answer) && isFields(answer.error) ? String(answer.error.message) : undefined
  const message =
    fault ?? (told.verdict === 'ok' ? 'The answer is not one of JSON-RPC.' : SENTENCES[told.verdict])
  return { ok: false, error: 'tool_failed', message }
}
