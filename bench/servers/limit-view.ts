interface Row {
  uuid: string
  name: string
  status: string
  protocol: string
  target: string
  port: number
}

const WORDS: Record<string, string> = { HEALTHY: 'Healthy', UNHEALTHY: 'Unhealthy', INSTALLING: 'Installing' }
const SIGNS: Record<string, string> = { HEALTHY: '🟢', UNHEALTHY: '🔴', INSTALLING: '🟡' }
const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY']
const BLOCKS_OF_A_MESSAGE = 50

const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS']

/** So many checks at the edge of a page are remembered by its buttons. */
const ANCHORS = 3

const lineOf = (line: string): string => `/hc ${line} --env production`
const cell = (text: string) => ({ type: 'raw_text', text })
const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

/** The app's own answer to `/hc list`, written down by hand for checks that are as they should be. */
export function limitView(page: { total: number; results: readonly Row[] }, pageSize: number) {
  const { total, results } = page
  const place = `1–${results.length} of ${total} · page 1 of ${Math.ceil(total / pageSize)}`
  const more = results.length < total
  let elements = 0
  const offer = (label: string, kind: string, value: string) => {
    return { type: 'button', text: plain(label), action_id: `${kind}.${elements++}`, value }
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
  const openMenu = {
    type: 'static_select',
    action_id: `offer.${elements++}`,
    placeholder: plain('Open a health check'),
    options: shown.map(({ name, uuid }) => ({ text: plain(name), value: lineOf(`show ${uuid}`) })),
  }
  const edge = results.slice(-ANCHORS).reverse()
  const after = `list --offset ${results.length} --after ${edge.map(({ uuid }) => uuid).join(',')}`
  const next = more ? [offer('Next', 'offer-in-place', lineOf(after))] : []
  const menu = (what: string, choices: readonly { label: string; value: string }[]) => {
    const [first = '', ...rest] = what
    const every = { text: plain(`Every ${what}`), value: lineOf('list') }
    return {
      type: 'static_select',
      action_id: `offer-in-place.${elements++}`,
      placeholder: plain(first.toUpperCase() + rest.join('')),
      options: [
        every,
        ...choices.map(({ label, value }) => ({
          text: plain(label),
          value: lineOf(`list --${what} ${value}`),
        })),
      ],
      initial_option: every,
    }
  }
  const menus = [
    menu(
      'status',
      STATUSES.map((value) => ({ label: `${SIGNS[value]} ${WORDS[value]}`, value })),
    ),
    menu(
      'protocol',
      PROTOCOLS.map((value) => ({ label: value, value })),
    ),
  ]
  const blocks = [
    { type: 'header', text: plain('Health checks') },
    { type: 'context', elements: [plain(place)] },
    table,
    { type: 'actions', elements: [openMenu] },
    ...note,
    {
      type: 'actions',
      elements: [
        ...next,
        ...menus,
        offer('Refresh', 'offer-in-place', lineOf('list')),
        offer('Share to channel', 'offer', lineOf('list --share')),
      ],
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
