import type { KnownBlock } from '@slack/types'
import { expect, it } from 'vitest'
import { watchForm } from '../../../../src/features/watching/forms/watch.ts'
import { handOverForm } from '../../../../src/features/watching/on-call/forms/hand-over.ts'
import { maintenanceForm } from '../../../../src/features/watching/on-call/forms/maintenance.ts'

/** Slack adds “(optional)” to the label of an input that isn't required. */
const listRequiredLabels = ({ blocks }: { blocks: readonly (KnownBlock | KnownBlock[])[] }): string[] =>
  blocks.flat().flatMap((block) => (block.type === 'input' && !block.optional ? [block.label.text] : []))

it.each([
  {
    what: 'the window for new maintenance',
    window: maintenanceForm.open('production', '', {}, undefined),
    requires: ['Health checks', 'From', 'For how long', 'Repeat'],
  },
  {
    what: 'the window for planned maintenance',
    window: maintenanceForm.open(
      'production',
      'web-*',
      { from: '2026-12-01 22:00', for: '2h' },
      { planId: 'p', timeZone: 'UTC' },
    ),
    requires: ['Health checks', 'From', 'For how long', 'Repeat'],
  },
  {
    what: 'the window of a watch',
    window: watchForm.open('production', { env: 'production', channel: 'C1', digest: 'off', zone: 'UTC' }),
    // Menus always have a choice.
    requires: ['Post an outage', 'Cards', 'Remind about what is still down', 'Daily summary of the channel'],
  },
  {
    what: 'the window for handing over',
    window: handOverForm.open('production', { cardId: 'c', version: 1 }),
    requires: ['Hand over to'],
  },
])('marks only optional inputs as optional in $what', ({ window, requires }) => {
  expect(listRequiredLabels(window)).toEqual(requires)
})
