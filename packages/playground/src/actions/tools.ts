import type { AppLink } from '../delivery/app-link.ts'
import { ERROR_MESSAGES } from '../delivery/errors.ts'
import type { ToolAnswer } from '../protocol/answers.ts'
import { createId } from '../protocol/ids.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { isFields, parseJson } from '../protocol/json.ts'
import type { PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'

const CALL_TIMEOUT_MS = 60_000
/** The revision of the MCP protocol. Slack doesn't document which one it uses. */
const MCP_REVISION = '2025-06-18'

/** Parses a JSON response, or the last event of a server-sent event stream. */
function parseResponse(text: string): Json | undefined {
  const dataLines = text.split('\n').filter((line) => line.startsWith('data:'))
  return parseJson(dataLines.at(-1)?.slice('data:'.length) ?? text)
}

/**
 * Lists the tools of the app's MCP server or calls one, as Slackbot does for a person. The request is signed like all requests to the
 * app. `params._meta.slack` identifies the person. (https://docs.slack.dev/reference/app-manifest `mcp_servers`;
 * slack-samples/bolt-js-examples `ai`; November 2026. Slack doesn't document the other fields of a call.)
 */
export async function callMcpServer(
  world: World,
  link: AppLink,
  { user, method, params = {} }: PostBody<'tools'>,
): Promise<ToolAnswer> {
  const person = findActor(world, user)
  if (world.manifest.requestUrls.tools === undefined)
    throw new ActionError('no_tools', 'The manifest has no mcp_servers.')
  if (world.manifest.isSocketMode)
    throw new ActionError(
      'no_tools',
      'Slack calls an MCP server at its URL, and an app in Socket Mode has none.',
    )
  const { id: team_id, organization } = world.people.getWorkspace(person)
  const caller: Fields = { user_id: person.id, team_id, enterprise_id: organization?.id ?? null }
  const call: Fields = {
    jsonrpc: '2.0',
    id: createId('Q'),
    method: `tools/${method}`,
    params: { ...params, _meta: { slack: caller } },
  }
  const response = await link.request({
    kind: `mcp:tools/${method}`,
    user: person.id,
    contentType: 'application/json',
    payload: call,
    body: JSON.stringify(call),
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': MCP_REVISION },
    timeoutMs: CALL_TIMEOUT_MS,
  })
  const body = parseResponse(response.http.text)
  if (isFields(body) && isFields(body.result)) return { ok: true, result: body.result }
  const errorMessage = isFields(body) && isFields(body.error) ? String(body.error.message) : undefined
  const message =
    errorMessage ??
    (response.verdict === 'ok' ? "The response isn't valid JSON-RPC." : ERROR_MESSAGES[response.verdict])
  return { ok: false, error: 'tool_failed', message }
}
