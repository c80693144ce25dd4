import type { KnownBlock } from '@slack/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandButton, commandMenu } from '../../../packages/slack/src/blocks/command-buttons.ts'
import { actions, section } from '../../../packages/slack/src/blocks/layout.ts'
import { LIMITS } from '../../../packages/slack/src/blocks/limits.ts'
import { openStore } from '../../../src/app/store.ts'
import { CHECK_OR_PATTERN, id, LISTED_CHECKS, SOME_CHECKS } from '../../../src/bot/grammar/vocabulary.ts'
import { createBindButtons, readPressed } from '../../../src/bot/request/buttons.ts'
import { createResolveLine, splitCommand } from '../../../src/bot/routes/resolve-line.ts'
import { createRoutes, type VerbDeclaration } from '../../../src/bot/routes/routes.ts'
import { quoted } from '../../../src/domain/quoting.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { KEY_A } from '../../databases/databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const RUN_OPTIONS = { seed: 20_261_121, numRuns: 300 }
const WORKSPACE = { workspaceId: 'T1' }

const verb = (fields: Partial<VerbDeclaration> & Pick<VerbDeclaration, 'line'>): VerbDeclaration => ({
  description: '',
  needs: 'viewer',
  run: () => Promise.reject(new Error('These tests run no verb.')),
  ...fields,
})

async function startBinding() {
  const routes = createRoutes()
  routes.verb(verb({ line: '/hc', redraws: true }))
  routes.verb(verb({ line: '/hc list', slots: LISTED_CHECKS, redraws: true, flags: { target: 'value' } }))
  routes.verb(verb({ line: '/hc edit', slots: CHECK_OR_PATTERN, opensModal: true }))
  routes.verb(verb({ line: '/hc job-undo', slots: [id('job', 'JOB')], isAct: true }))
  routes.verb(verb({ line: '/cert-order', opensModal: true }))
  routes.verb(verb({ line: '/hc watch', slots: SOME_CHECKS, redirect: () => 'watch-edit' }))
  routes.verb(verb({ line: '/hc watch-edit', slots: SOME_CHECKS, opensModal: true }))
  const resolve = createResolveLine(routes)
  const store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  const bind = createBindButtons({ routes, resolve, ephemeralState: store.ephemeralState, now: () => NOW })
  return { store, resolve, bind, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

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
    { line: '/hc list -env=ote', environment: 'production', value: '/hc list -env=ote' },
    { line: '/hc list "a --env b"', environment: 'ote', value: '/hc list "a --env b" --env ote' },
    { line: '/hc list', environment: undefined, value: '/hc list' },
  ] as const)(
    'has the value $value for $line in a message of $environment',
    async ({ line, environment, value }) => {
      await using binding = await startBinding()
      expect(
        listValues(await binding.bind(WORKSPACE, environment, actions(commandButton('A', line)))),
      ).toEqual([value])
    },
  )

  it.each([
    { origin: '/hc list web --target x', line: '/hc edit a', from: ' --from "list web --target x"' },
    { origin: '/hc', line: '/hc edit a', from: ' --from /hc' },
    {
      origin: '/hc list "say \\"hi\\""',
      line: '/hc edit a',
      from: ' --from "list \\"say \\\\\\"hi\\\\\\"\\""',
    },
    { origin: '/hc list', line: '/cert-order', from: ' --from "/hc list"' },
    { origin: '/hc list', line: '/hc list b', from: '' },
    { origin: '/hc list', line: '/hc watch', resolvedLine: '/hc watch-edit', from: '' },
    { origin: `/hc list ${'x'.repeat(1990)}`, line: '/hc edit a', from: '' },
  ])(
    'passes the command that showed it as --from: $line in the response to $origin ends in “$from”',
    async ({ origin, line, resolvedLine = line, from }) => {
      await using binding = await startBinding()
      const [value = ''] = listValues(
        await binding.bind({ ...WORKSPACE, line: origin }, 'ote', [...actions(commandButton('A', line))]),
      )
      expect(value).toBe(`${line} --env ote${from}`)
      const resolved = binding.resolve(splitCommand(value))
      expect(resolved).toMatchObject({
        line: resolvedLine,
        environment: 'ote',
        origin: from ? origin : undefined,
      })
    },
  )

  it('has an action ID that doesn’t reveal its command', async () => {
    await using binding = await startBinding()
    const blocks = [
      section('x', commandButton('A', '/hc', { inPlace: true })),
      ...actions(commandButton('B', '/hc'), commandMenu('C', [{ label: 'a', value: '/hc list' }])),
    ]
    const ids = JSON.stringify(await binding.bind(WORKSPACE, 'ote', blocks)).match(/"action_id":"[^"]+"/g)
    expect(ids).toEqual(
      ['command-in-place.0', 'command.1', 'command-in-place.2'].map((id) => `"action_id":"${id}"`),
    )
  })
})

describe('a command that is too long for a button', () => {
  it('is stored once for all viewers, with a prefix that marks it as read-only or not', async () => {
    await using binding = await startBinding()
    const { store } = binding
    const [readLine, actLine] = [`/hc list ${'x'.repeat(2000)}`, `/hc job-undo ${'x'.repeat(2000)}`]
    const show = async () =>
      listValues(
        await binding.bind(
          WORKSPACE,
          'ote',
          actions(commandButton('A', readLine), commandButton('B', actLine)),
        ),
      )
    const [read = '', act = ''] = await show()
    expect(await show()).toEqual([read, act])
    expect([read, act]).toEqual([expect.stringMatching(/^read:.{22}$/), expect.stringMatching(/^act:.{22}$/)])
    expect(readPressed(act)).toEqual({ storedLineId: act.slice(4), isAct: true })
    expect(await store.ephemeralState.find('T1', read.slice(5), NOW)).toBe(`${readLine} --env ote`)
    expect(await store.ephemeralState.find('T2', read.slice(5), NOW)).toBeUndefined()
  })

  it('is shortened to fit Slack’s limits for buttons and menus', async () => {
    await using binding = await startBinding()
    const word = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 200 }),
      fc.integer({ min: 60, max: 2100 }).map((length) => '😀'.repeat(length / 9)),
      fc.integer({ min: 60, max: 2100 }).map((length) => 'x'.repeat(length)),
    )
    await fc.assert(
      fc.asyncProperty(word, word, async (name, origin) => {
        const line = `/hc edit ${quoted(name)}`
        const menu = commandMenu('C', [{ label: 'a', value: line, chosen: true }])
        const blocks = actions(commandButton('A', line), menu)
        const sent = await binding.bind({ ...WORKSPACE, line: `/hc list ${quoted(origin)}` }, 'ote', blocks)
        const [inButton = '', inMenu = ''] = listValues(sent)
        expect(inButton.length).toBeLessThanOrEqual(LIMITS.buttonValue)
        expect(inMenu.length).toBeLessThanOrEqual(LIMITS.optionValue)
        const [first] = sent
        const chosen = first?.type === 'actions' ? first.elements[1] : undefined
        expect(chosen).toMatchObject({ initial_option: { value: inMenu } })
      }),
      RUN_OPTIONS,
    )
  })
})

it('ignores button values from earlier versions and other apps', () => {
  for (const value of ['', 'AAAAAAAAAAAAAAAAAAAAAA.0', 'read:short', 'do:AAAAAAAAAAAAAAAAAAAAAA', 'hc list'])
    expect(readPressed(value)).toBeUndefined()
})
