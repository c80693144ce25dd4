import type { CheckRow } from '../parts/checks.ts'

const WORDS: Record<string, string> = { HEALTHY: 'Healthy', UNHEALTHY: 'Unhealthy', INSTALLING: 'Installing' }
const SIGNS: Record<string, string> = { HEALTHY: '🟢', UNHEALTHY: '🔴', INSTALLING: '🟡' }
const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY']
/** What an id of the app's looks like; nothing is kept under this one. */
const DRAFT = 'AAAAAAAAAAAAAAAAAAAAAA'
const BLOCKS_OF_A_MESSAGE = 50

const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS']

const cell = (text: string) => ({ type: 'raw_text', text })
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

/** The app's own answer to `/hc list`, written down by hand for checks that are as they should be. */
export function limitView(page: { total: number; results: CheckRow[] }, pageSize: number) {
  const { total, results } = page
  const place = `1–${results.length} of ${total} · page 1 of ${Math.ceil(total / pageSize)}`
  const more = results.length < total
  let offers = 0
  const offer = (label: string, kind: string) => {
    const index = offers++
    return { type: 'button', text: plain(label), action_id: `${kind}.${index}`, value: `${DRAFT}.${index}` }
  }
  const shown = results.slice(0, BLOCKS_OF_A_MESSAGE - ROUND_ABOUT)
  const left = results.length - shown.length
  const note = left > 0 ? [{ type: 'context', elements: [plain(leftOut(left))] }] : []
  let text = `Health checks: ${place}`
  if (left > 0) text += `\n${leftOut(left)}`
  const cells = [['Status', 'Name', 'Protocol', 'Target', 'Port'].map(cell)]
  for (const { name, status, protocol, target, port } of shown) {
    text += `\n${WORDS[status]}: ${name}, ${protocol} ${target}, port ${port}`
    cells.push([`${SIGNS[status]} ${WORDS[status]}`, name, protocol, target, String(port)].map(cell))
  }
  const table = { type: 'table', rows: cells, column_settings: cells[0]?.map(() => ({ is_wrapped: true })) }
  const openFirst = offers
  const openMenu = {
    type: 'static_select',
    action_id: `offer.${openFirst}`,
    placeholder: plain('Open a health check'),
    options: shown.map(({ name }) => ({ text: plain(name), value: `${DRAFT}.${offers++}` })),
  }
  const next = more ? [offer('Next', 'offer-in-place')] : []
  const menu = (placeholder: string, labels: readonly string[]) => {
    const action_id = `offer-in-place.${offers}`
    const options = labels.map((label) => ({ text: plain(label), value: `${DRAFT}.${offers++}` }))
    return {
      type: 'static_select',
      action_id,
      placeholder: plain(placeholder),
      options,
      initial_option: options[0],
    }
  }
  const statuses = STATUSES.map((status) => `${SIGNS[status]} ${WORDS[status]}`)
  const menus = [
    menu('Status', ['Every status', ...statuses]),
    menu('Protocol', ['Every protocol', ...PROTOCOLS]),
  ]
  const blocks = [
    { type: 'header', text: plain('Health checks') },
    { type: 'context', elements: [plain(place)] },
    table,
    { type: 'actions', elements: [openMenu] },
    ...note,
    {
      type: 'actions',
      elements: [...next, ...menus, offer('Refresh', 'offer-in-place'), offer('Share to channel', 'offer')],
    },
    {
      type: 'context',
      elements: [plain(`As of ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`)],
    },
  ]
  return { text, blocks }
}

/** Blocks that may stand around the rows. */
const ROUND_ABOUT = 7
const leftOut = (count: number) => `${count} more on this page do not fit one message: narrow the listing.`
