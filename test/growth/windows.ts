import { TEXT_LIMITS } from '@signalman/runtime'
import { fillForms } from '../bot/access/forms.ts'
import type { createRequests } from '../bot/access/requests.ts'
import type { SentCall } from '../bot/access/slack-stub.ts'
import type { HostileShape } from '../hostile-texts.ts'
import type { Work } from './grow.ts'

/** The windows in which people type, and what opens each: some need a health check, or an order that nobody has decided yet. */
export const WINDOWS: Readonly<Record<string, string>> = {
  'health-checks.create': '/hc create',
  'health-checks.edit': '/hc edit CHECK',
  'health-checks.deletion': '/hc delete "storefront 2 eu-west"',
  'alerts.add': '/hc alert-add "storefront 3 eu-west"',
  'alerts.edit': '/hc alert-edit "storefront 0 eu-west" 1',
  'watching.watch': '/hc watch',
  'watching.maintenance': '/hc maintenance',
  'connection.connect': '/hc connect',
  'cert-orders.order': '/cert-order new',
  'cert-orders.reject': '/cert-order reject PENDING',
  'cert-orders.resolve': '/cert-order resolve UNKNOWN failed',
  'cert-orders.settings': '/cert-order settings',
}
/** Nothing is typed in these. The files are in the table as files. */
export const ONLY_PRESSED = [
  'health-checks.import',
  'alerts.remove',
  'connection.disconnect',
  'cert-orders.approve',
]

interface OpenedView {
  readonly callback_id: string
  readonly private_metadata: string
  readonly blocks: readonly {
    readonly block_id?: string
    readonly element?: { readonly type: string; readonly max_length?: number }
  }[]
}

const readView = (body: SentCall['body'] = {}): OpenedView | undefined =>
  typeof body.view === 'string' ? JSON.parse(body.view) : undefined

/** Whole windows: each is opened, so that it has its real state, filled in validly but for one field, and submitted; for each field anew. */
export async function windowWorks(
  shapes: readonly HostileShape[],
  request: ReturnType<typeof createRequests>,
  create: (needed: string) => Promise<string>,
  send: (body: string, isAnswer?: (call: SentCall) => boolean) => Promise<SentCall | undefined>,
): Promise<Work[]> {
  const filled = await fillForms()
  /** Opens a window, and waits until it shows its inputs. */
  async function open(id: string, line: string): Promise<OpenedView> {
    const [needed] = /CHECK|PENDING|UNKNOWN/.exec(line) ?? []
    const typed = needed ? line.replace(needed, await create(needed)) : line
    const found = await send(request.command(typed), ({ body }) => readView(body)?.callback_id === id)
    const opened = readView(found?.body)
    if (!opened) throw new Error(`${line} doesn’t open ${id}.`)
    return opened
  }
  const listTyped = ({ blocks }: OpenedView) =>
    blocks.flatMap(({ block_id, element }) =>
      block_id && element?.type === 'plain_text_input' ? [{ field: block_id, ...element }] : [],
    )
  return Object.entries(WINDOWS).map(([id, line]) => ({
    ...{ name: `a window: ${line}`, unit: 'characters', limit: TEXT_LIMITS.field },
    shapes: shapes.map(({ name, write }) => ({
      name,
      async prepare(size) {
        const fields = listTyped(await open(id, line))
        if (fields.length === 0) throw new Error(`Nothing is typed in ${id}.`)
        return async () => {
          for (const { field, max_length: max = TEXT_LIMITS.field } of fields) {
            const value = write(Math.ceil((size * max) / TEXT_LIMITS.field))
            const { private_metadata, blocks } = await open(id, line)
            const values = { ...filled[id]?.values, [field]: { type: 'plain_text_input', value } }
            await send(request.submission(id, private_metadata, values, blocks))
          }
        }
      },
    })),
  }))
}
