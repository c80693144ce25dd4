import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ORDER_STATES,
  ORDER_TRANSITIONS,
  type OrderState,
  type OrderStepKind,
  STATE_TEXTS,
} from '../src/features/cert-orders/rules/order-states.ts'

export const PAGE = join(import.meta.dirname, 'order-states.md')
export const PICTURE = join(import.meta.dirname, 'order-states.svg')

/** The transitions as rows, in the order of ORDER_TRANSITIONS. */
export const orderTransitionRows = ORDER_STATES.flatMap((from) =>
  Object.entries(ORDER_TRANSITIONS[from]).flatMap(([step, after]) =>
    // Cast, because the table's keys are the steps.
    after.map((to) => ({ from, step: step as OrderStepKind, to })),
  ),
)

/** What each state means. */
const STATE_MEANINGS: Readonly<Record<OrderState, string>> = {
  awaiting: 'nobody has sent it, and approvers decide',
  submitting: 'its only POST is under way',
  received: 'the service has it. Whether it issues a certificate isn’t known',
  failed: 'the service refused it, or doesn’t have it',
  unknown: 'nobody knows yet whether the service has it',
  rejected: 'an approver refused it',
  withdrawn: 'the requester took it back',
  expired: 'nobody decided in time',
}

/** What each step means. */
const STEP_MEANINGS: Readonly<Record<OrderStepKind, string>> = {
  approve: 'an approver approves the exact body, and the order is sent',
  reject: 'an approver rejects it, with a reason',
  withdraw: 'the requester withdraws it',
  expire: 'nobody decided in time',
  remind: 'people are reminded of the order',
  answer: 'the outcome of its only POST, which may arrive late',
  resolve: 'a person looked at the service and recorded what they found',
}

/** The position of each state in the picture: the center of its box. */
const CENTERS: Readonly<Record<OrderState, readonly [x: number, y: number]>> = {
  awaiting: [190, 60],
  rejected: [84, 190],
  withdrawn: [190, 280],
  expired: [296, 190],
  submitting: [500, 60],
  unknown: [500, 280],
  received: [770, 60],
  failed: [770, 210],
}
const HALF_BOX = { width: 78, height: 26 }

/** Lists the pairs of states with the steps between them. */
function listEdges(): Map<string, { from: OrderState; to: OrderState; steps: string[] }> {
  const byPair = new Map<string, { from: OrderState; to: OrderState; steps: string[] }>()
  for (const { from, step, to } of orderTransitionRows) {
    const edge = byPair.get(`${from} ${to}`) ?? { from, to, steps: [] }
    edge.steps.push(step)
    byPair.set(`${from} ${to}`, edge)
  }
  return byPair
}

/** Where the line between two boxes starts. It's slightly off center, so that lines in both directions are visible. */
function findLineStart(from: OrderState, to: OrderState, offset: number): [number, number] {
  const [x, y] = CENTERS[from]
  const [dx, dy] = [CENTERS[to][0] - x, CENTERS[to][1] - y]
  const length = Math.hypot(dx, dy)
  const scale = Math.min(HALF_BOX.width / Math.abs(dx), HALF_BOX.height / Math.abs(dy))
  return [x + dx * scale - (dy / length) * offset, y + dy * scale + (dx / length) * offset]
}

const formatPoints = (points: readonly number[]): string => points.map(Math.round).join(' ')

function drawArrow({ from, to, steps }: { from: OrderState; to: OrderState; steps: string[] }): string {
  const [start, end] = [findLineStart(from, to, 7), findLineStart(to, from, -7)]
  const [x = 0, y = 0] = [0, 1].map((index) => (start[index] ?? 0) * 0.62 + (end[index] ?? 0) * 0.38)
  return `<path d="M${formatPoints(start)}L${formatPoints(end)}" stroke="#57606a" marker-end="url(#to)"/><text x="${formatPoints([x])}" y="${formatPoints([y + 4])}" fill="#0969da" stroke="#ffffff" stroke-width="8" paint-order="stroke">${steps.join(', ')}</text>`
}

function drawBox(state: OrderState, stepsWithin: readonly string[]): string {
  const [x, y] = CENTERS[state]
  const stepsText =
    stepsWithin.length > 0
      ? `<text x="${x}" y="${y + 16}" fill="#0969da">${stepsWithin.join(', ')} ↺</text>`
      : ''
  return `<rect x="${x - HALF_BOX.width}" y="${y - HALF_BOX.height}" width="${2 * HALF_BOX.width}" height="${2 * HALF_BOX.height}" rx="6" fill="#f6f8fa" stroke="#8c959f"/><text x="${x}" y="${y + (stepsText ? -2 : 5)}" font-size="14" font-weight="600">${state}</text>${stepsText}`
}

/** Draws a box for each state, with the steps that don't leave it, and an arrow for each change of state. */
export function drawOrderStates(): string {
  const edges = [...listEdges().values()]
  const stepsWithin = (state: OrderState) =>
    edges.find(({ from, to }) => from === state && to === state)?.steps ?? []
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 320" font-family="system-ui, Helvetica, Arial, sans-serif" font-size="12" text-anchor="middle" fill="#1f2328" role="img" aria-label="The states of a certificate order and the steps between them">',
    '<defs><marker id="to" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#57606a"/></marker></defs>',
    '<rect width="860" height="320" rx="10" fill="#ffffff"/>',
    '<path d="M20 60H114" stroke="#57606a" marker-end="url(#to)"/><text x="62" y="52" fill="#0969da">request</text>',
    ...ORDER_STATES.map((state) => drawBox(state, stepsWithin(state))),
    ...edges.filter(({ from, to }) => from !== to).map(drawArrow),
    '</svg>',
    '',
  ].join('\n')
}

/** Generates the page from the table in src/features/cert-orders/rules/order-states.ts. */
export function generateOrderStatesPage(): string {
  return [
    '# The states of a certificate order',
    '',
    '`npm run generate` writes this page from [the table](../src/features/cert-orders/rules/order-states.ts) that also defines the types in the code',
    'and drives the tests. No step leads back to `submitting`, so an order is sent only once.',
    '',
    '![Each state is a box with the steps that keep it, and arrows for the steps to other states; the table below has the same content](./order-states.svg)',
    '',
    '| state | on screens | meaning |',
    '| --- | --- | --- |',
    ...ORDER_STATES.map((state) => {
      const { emoji, name } = STATE_TEXTS[state]
      return `| ${state} | ${emoji} ${name} | ${STATE_MEANINGS[state]} |`
    }),
    '',
    '| step | meaning | from → to |',
    '| --- | --- | --- |',
    ...Object.entries(STEP_MEANINGS).map(([step, meaning]) => {
      const moves = orderTransitionRows.filter((move) => move.step === step)
      const pairs = moves.map(({ from, to }) => (from === to ? `${from} (stays)` : `${from} → ${to}`))
      return `| ${step} | ${meaning} | ${pairs.join(', ')} |`
    }),
    '',
  ].join('\n')
}

if (import.meta.main) {
  await writeFile(PAGE, generateOrderStatesPage())
  await writeFile(PICTURE, drawOrderStates())
}
