import { UserError } from '@signalman/runtime'
import { choice, slot } from '../../bot/grammar/slots.ts'
import { id } from '../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { type HandOverDeps, handOver, previewHandOver, sendPreviewFile } from './hand-over.ts'

/** `/hc handover` and the hidden verbs of its buttons. */
export const handOverCommands = (deps: HandOverDeps): VerbDeclaration[] => [
  {
    line: '/hc handover',
    slots: [
      slot('from', 'person', { usage: '@from' }),
      slot('to', 'person', { usage: '@to', required: true }),
      // It's always all of it.
      choice('all', { all: 'all', everything: 'all' }, { usage: '' }),
    ],
    description:
      'Hand over everything you own, or as an admin everything someone else owns: orders, threat cases, outages, watches, and running changes',
    needs: 'viewer',
    changesSomething: true,
    redraws: true,

    example: 'handover @lee @ada',
    run: (context, { values }) =>
      previewHandOver(deps, context, requirePeople({ from: context.userId, ...values })),
  },

  {
    line: '/hc handover-start',
    slots: [id('from', 'FROM'), id('to', 'TO')],
    description: 'Hand over what a preview shows',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    flags: { seen: 'value' },
    run: (context, { values, flags }) =>
      handOver(deps, context, requirePeople(values), typeof flags.seen === 'string' ? flags.seen : ''),
  },

  {
    line: '/hc handover-file',
    slots: [id('from', 'FROM'), id('to', 'TO')],
    description: 'Send the whole preview as a file',
    needs: 'viewer',
    changesSomething: true,
    isAct: true,
    hidden: true,
    run: (context, { values }) => sendPreviewFile(deps, context, requirePeople(values)),
  },
]

function requirePeople({ from, to }: Partial<Record<string, string>>): { from: string; to: string } {
  if (from === undefined || to === undefined)
    throw new UserError(
      `Who takes over? Type \`${cmd('/hc handover')} @ada\` to hand over your own work, or name both people: \`${cmd('/hc handover')} @lee @ada\`. To hand over only an outage, open the ··· menu of the message that reports it and choose “Hand over”.`,
    )
  return { from, to }
}
