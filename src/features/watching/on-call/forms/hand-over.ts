import { FieldErrors } from '@signalman/runtime'
import { peopleInput } from '@signalman/slack'
import { form } from '../../../../bot/forms/form.ts'
import type { WatchStore } from '../../rows/watching.ts'
import { handedOverView } from '../views/on-it.ts'

/** The window to choose who takes over the outages. */
export const handOverForm = form({
  id: 'watching.hand-over',
  title: 'Hand over',
  button: 'Hand over',
  verb: '/hc watch-hand-over',
  needs: 'viewer',
  changesSomething: true,
  workingText: 'Handing over…',
  showsOteLabel: true,
  content: (_, formState: { cardId: string; version: number | undefined }) => ({
    formState,
    blocks: [peopleInput('to', 'Hand over to', { max: 1 })],
  }),
  read(answers) {
    const [to] = answers.users('to')
    if (!to) throw new FieldErrors({ to: 'Choose a person.' })
    return { to }
  },
  async submit(
    context,
    { to },
    { cardId, version },
    { watching }: { watching: Pick<WatchStore, 'acknowledgments'> },
  ) {
    const { workspaceId, userId } = context
    const person = await context.remember('person', async () => {
      const { name, isBot, isDeactivated } = await (await context.slack()).readPerson(to)
      return { name, isPageable: !isBot && !isDeactivated }
    })
    if (!person.isPageable)
      throw new FieldErrors({ to: 'This person can’t be notified. Choose someone else.' })
    const step = { verb: '/hc watch-hand-over', object: `card ${cardId}`, after: { to }, isRepeatable: true }
    const count = await context.change(step, () =>
      watching.acknowledgments.handOver(workspaceId, { cardId, version }, userId, {
        userId: to,
        name: person.name,
      }),
    )
    return handedOverView(person.name, count)
  },
})
