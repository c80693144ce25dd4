import type { Button, KnownBlock, StaticSelect } from '@slack/types'
import { button, type Choice, menu } from './elements.ts'

/** Marks an element whose value is a command line, until `takeOffers` swaps the line for an id before it is sent. */
const OFFER = 'offer'
const OFFER_IN_PLACE = 'offer-in-place'
const OFFER_ACTION = /^offer(-in-place)?(\.\d+)?$/

interface OfferOptions extends NonNullable<Parameters<typeof button>[3]> {
  /** The answer takes the place of the message that holds the button (paging, refresh) instead of following it. */
  inPlace?: boolean
}

/** A button that runs a command line as if the person had typed it, e.g. `offer('Alerts', '/hc alerts 3f2a…')`. */
export function offer(label: string, line: string, { inPlace, ...options }: OfferOptions = {}): Button {
  return button(label, inPlace ? OFFER_IN_PLACE : OFFER, line, options)
}

/** A menu each of whose choices runs a command line (its `value`); the answer takes the message's place unless told not to. */
export function offerMenu(
  placeholder: string,
  choices: readonly Choice[],
  { inPlace = true }: { inPlace?: boolean } = {},
): StaticSelect {
  return menu(placeholder, inPlace ? OFFER_IN_PLACE : OFFER, choices)
}

export const isOffer = (actionId: string): boolean => OFFER_ACTION.test(actionId)
export const isInPlace = (actionId: string): boolean => actionId.startsWith(OFFER_IN_PLACE)

/**
 * The blocks with every command line taken out, and the lines in order. What leaves for Slack holds `<draft>.<index>`
 * in place of a line: values are ids, so typed text stays with us, and action ids become unique.
 */
export function takeOffers(blocks: readonly KnownBlock[]): {
  lines: string[]
  withDraft: (draft: string) => KnownBlock[]
} {
  const lines: string[] = []
  const places = blocks.map((block) => elementsOf(block).filter(isOfferElement).map(countLines))

  function countLines(element: Button | StaticSelect): number {
    const first = lines.length
    lines.push(...linesOf(element))
    return first
  }

  function withDraft(draft: string): KnownBlock[] {
    return blocks.map((block, blockIndex) => {
      const starts = [...(places[blockIndex] ?? [])]
      return mapElements(block, (element) => {
        if (!isOfferElement(element)) return element
        return renamed(element, draft, starts.shift() ?? 0)
      })
    })
  }
  return { lines, withDraft }
}

/** The blocks without the buttons whose line is unwanted, and without rows that are empty then. */
export function withoutOffers(
  blocks: readonly KnownBlock[],
  isUnwanted: (line: string) => boolean,
): KnownBlock[] {
  const isKept = (element: Element): boolean =>
    !(element.type === 'button' && isOfferElement(element) && isUnwanted(element.value ?? ''))
  return blocks.flatMap((block): KnownBlock[] => {
    if (block.type !== 'actions') return [block]
    const elements = block.elements.filter(isKept)
    return elements.length > 0 ? [{ ...block, elements }] : []
  })
}

type Element = NonNullable<ReturnType<typeof elementsOf>[number]>

function elementsOf(block: KnownBlock) {
  if (block.type === 'actions') return block.elements
  if (block.type === 'section' && block.accessory) return [block.accessory]
  return []
}

function isOfferElement(element: Element): element is Button | StaticSelect {
  return (
    (element.type === 'button' || element.type === 'static_select') &&
    element.action_id !== undefined &&
    isOffer(element.action_id)
  )
}

function linesOf(element: Button | StaticSelect): string[] {
  if (element.type === 'button') return [element.value ?? '']
  return (element.options ?? []).map((choice) => choice.value ?? '')
}

function renamed<T extends Button | StaticSelect>(element: T, draft: string, first: number): T {
  const action_id = `${element.action_id}.${first}`
  if (element.type === 'button') return { ...element, action_id, value: `${draft}.${first}` }
  const options = (element.options ?? []).map((choice, index) => ({
    ...choice,
    value: `${draft}.${first + index}`,
  }))
  const chosen = element.options?.findIndex((choice) => choice.value === element.initial_option?.value) ?? -1
  const initial = options[chosen]
  return { ...element, action_id, options, ...(initial && { initial_option: initial }) }
}

function mapElements(block: KnownBlock, change: <E extends Element>(element: E) => E): KnownBlock {
  if (block.type === 'actions') return { ...block, elements: block.elements.map(change) }
  if (block.type === 'section' && block.accessory) return { ...block, accessory: change(block.accessory) }
  return block
}
