import type { KnownBlock } from '@slack/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandButton, commandMenu } from '../../../packages/slack/src/blocks/command-buttons.ts'
import { actions, section } from '../../../packages/slack/src/blocks/layout.ts'
import { LIMITS } from '../../../packages/slack/src/blocks/limits.ts'
import { bindButtons } from '../../../src/bot/bind-buttons.ts'
import { quoted } from '../../../src/domain/quoting.ts'
import { ANY_CHARACTER } from '../../any-character.ts'

const RUN_OPTIONS = { seed: 20_261_121, numRuns: 300 }

const listValues = (blocks: readonly KnownBlock[]): string[] =>
  blocks.flatMap((block) => {
    const elements = block.type === 'actions' ? block.elements : 'accessory' in block ? [block.accessory] : []
    return elements.flatMap((element) => {
      if (element?.type === 'button') return [element.value ?? '']
      return element?.type === 'static_select' || element?.type === 'overflow'
        ? (element.options ?? []).map(({ value }) => value ?? '')
        : []
    })
  })

describe('a button', () => {
  it.each([
    { line: '/hc list', environment: 'ote', value: '/hc list --env ote' },
    { line: '/hc list --env production', environment: 'ote', value: '/hc list --env production' },
    { line: '/hc list --env=ote', environment: 'production', value: '/hc list --env=ote' },
    { line: '/hc list "a --env b"', environment: 'ote', value: '/hc list "a --env b" --env ote' },
    { line: '/hc list', environment: undefined, value: '/hc list' },
  ] as const)(
    'has the value $value for $line in a message of $environment',
    ({ line, environment, value }) => {
      expect(listValues(bindButtons(actions(commandButton('A', line)), environment))).toEqual([value])
    },
  )

  it('has an action ID that doesn’t reveal its command', () => {
    const blocks = [
      section('x', commandButton('A', '/hc', { inPlace: true })),
      ...actions(commandButton('B', '/hc'), commandMenu('C', [{ label: 'a', value: '/hc list' }])),
    ]
    const ids = JSON.stringify(bindButtons(blocks, 'ote')).match(/"action_id":"[^"]+"/g)
    expect(ids).toEqual(
      ['command-in-place.0', 'command.1', 'command-in-place.2'].map((id) => `"action_id":"${id}"`),
    )
  })
})

it('leaves out a button or an option whose line is too long for Slack', () => {
  const word = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
    fc.integer({ min: 60, max: 2100 }).map((length) => '😀'.repeat(length / 9)),
    fc.integer({ min: 60, max: 2100 }).map((length) => 'x'.repeat(length)),
  )
  fc.assert(
    fc.property(word, (name) => {
      const line = `/hc edit ${quoted(name)}`
      const value = `${line} --env ote`
      const menu = commandMenu('C', [{ label: 'a', value: line, chosen: true }])
      const [first] = bindButtons(actions(commandButton('A', line), menu), 'ote')
      const [inButton, inMenu] = first?.type === 'actions' ? first.elements : []
      const isShort = value.length <= LIMITS.optionValue
      expect(listValues(first ? [first] : [])).toEqual([
        ...(value.length <= LIMITS.buttonValue ? [value] : []),
        ...(isShort ? [value] : []),
      ])
      if (isShort) expect(inMenu).toMatchObject({ initial_option: { value } })
      else expect(inMenu).toBeUndefined()
      expect(inButton === undefined).toBe(value.length > LIMITS.buttonValue)
    }),
    RUN_OPTIONS,
  )
})
