import type { KnownBlock } from '@slack/types'
import { expect, it } from 'vitest'
import { watchForm } from '../../../../src/features/watching/forms/watch.ts'
import { handOverForm } from '../../../../src/features/watching/on-call/forms/hand-over.ts'
import { maintenanceForm } from '../../../../src/features/watching/on-call/forms/maintenance.ts'

/** The labels of the required inputs. Slack adds “(optional)” to those of the others. */
const listRequiredLabels = ({ blocks }: { blocks: readonly (KnownBlock | KnownBlock[])[] }): string[] =>
  blocks.flat().flatMap((block) => (block.type === 'input' && !block.optional ? [block.label.text] : []))

it.each([
  {
    label: 'the modal for new maintenance',
    modal: maintenanceForm.open('production', '', {}, undefined),
    requiredLabels: ['Health checks', 'From', 'For how long', 'Repeat'],
  },
  {
    label: 'the modal for planned maintenance',
    modal: maintenanceForm.open(
      'production',
      'web-*',
      { from: '2026-12-01 22:00', for: '2h' },
      { planId: 'p', timeZone: 'UTC' },
    ),
    requiredLabels: ['Health checks', 'From', 'For how long', 'Repeat'],
  },
  {
    label: 'the modal of a watch',
    modal: watchForm.open('production', { env: 'production', channel: 'C1', digest: 'off', zone: 'UTC' }),
    // Menus always have a choice.
    requiredLabels: [
      'Post an outage',
      'Cards',
      'Remind about what is still down',
      'Daily summary of the channel',
    ],
  },
  {
    label: 'the modal for handing over',
    modal: handOverForm.open('production', { cardId: 'c', version: 1 }),
    requiredLabels: ['Hand over to'],
  },
])('marks only optional inputs as optional in $label', ({ modal, requiredLabels }) => {
  expect(listRequiredLabels(modal)).toEqual(requiredLabels)
})
