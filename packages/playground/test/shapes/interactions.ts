import type { Fields } from '../../src/protocol/json.ts'
import { isFields, objectsIn } from '../../src/protocol/json.ts'
import { startWorld } from '../app.ts'
import { confirm, option, plain } from '../validation/samples.ts'
import { collectPayloads } from './collect-payloads.ts'

const MANIFEST = new URL('manifest.yml', import.meta.url).pathname
const CHANNEL = 'C0GENERAL1'
const title = plain('Title')
const button = { type: 'button', action_id: 'go', text: plain('Go'), value: 'v', style: 'primary' }
const goButtons: Fields = {
  type: 'actions',
  elements: [{ ...button, confirm: confirm({ style: 'primary' }) }],
}
const externalSelect: Fields = {
  type: 'input',
  block_id: 'external',
  label: plain('External'),
  element: { type: 'multi_external_select', action_id: 'external', min_query_length: 0 },
}
const withoutWaiting = { until: () => true }

/** Collects the requests from clicks in threads, App Home, and modals. */
async function collectFromOtherSurfaces(): Promise<Fields[]> {
  const options = [option()]
  await using world = await startWorld(
    ({ body }) => (body.type === 'block_suggestion' ? { json: { options } } : {}),
    { manifestPath: MANIFEST },
  )
  const { api, slack } = world
  const { member } = slack
  const clickGo = async () => {
    const message = (await member.messages()).findLast(({ text }) => text === 'press')
    await member.click(message, 'Go', withoutWaiting)
  }
  const posted = { channel: CHANNEL, text: 'press' }
  const { ts } = await api('chat.postMessage', { ...posted, blocks: [goButtons] })
  await clickGo()
  await api('chat.postMessage', { ...posted, blocks: [goButtons], thread_ts: ts })
  await clickGo()
  await api('chat.postEphemeral', { ...posted, blocks: [goButtons], user: 'U0MEMBER01' })
  await clickGo()

  await api('views.publish', { user_id: 'U0MEMBER01', view: { type: 'home', blocks: [goButtons] } })
  await member.click((await member.home()) ?? undefined, 'Go', withoutWaiting)
  await member.command('/hc', '', withoutWaiting)
  const { trigger_id } = world.sent.findLast(({ body }) => body.command)?.body ?? {}
  const view = { type: 'modal', title, submit: title, blocks: [externalSelect] }
  await api('views.open', { trigger_id, view })
  await member.options(await member.view(), 'external', 'a')
  await member.submit({ External: ['a'] })

  return world.sent.map(({ body }) => body)
}

function requestKind({ command, type, view }: Fields): string {
  if (command !== undefined) return 'command'
  if (type !== 'block_actions' && type !== 'block_suggestion') return String(type)
  if (view) return `${type} of a view`
  return `${type} of a message`
}

/** Returns the values in a payload's `state`. */
function listStateValues({ state, view }: Fields): Fields[] {
  const stateObject = isFields(view) ? view.state : state
  const values = isFields(stateObject) && isFields(stateObject.values) ? stateObject.values : {}
  return Object.values(values).flatMap((block) =>
    isFields(block) ? Object.values(block).filter(isFields) : [],
  )
}

/** Collects requests by kind. Also lists the actions and element states in them as separate kinds, such as `action button`. */
export async function collectInteractions(): Promise<Record<string, Fields[]>> {
  const bodies = [...(await collectPayloads()), ...(await collectFromOtherSurfaces())]
  const byKind: Record<string, Fields[]> = {}
  const add = (kind: string, fields: Fields) => {
    byKind[kind] = [...(byKind[kind] ?? []), fields]
  }
  for (const body of bodies) {
    const { event: _event, ...fields } = body
    add(requestKind(body), fields)
    for (const action of objectsIn(body.actions)) add(`action ${action.type}`, action)
    for (const state of listStateValues(body)) add(`state ${state.type}`, state)
  }
  return byKind
}
