import { FieldErrors } from '@signalman/runtime'
import { peopleInput } from '@signalman/slack'
import type { Reachability } from '../../../../bot/access/reachable.ts'
import { form } from '../../../../bot/forms/form.ts'
import { sendDirectStep } from '../../../../bot/posts/post-step.ts'
import { toPlace } from '../../reachable.ts'
import type { WatchStore } from '../../rows/watching.ts'
import { incidentName } from '../../views/words.ts'
import { handedOverView, handedToYouView } from '../views/on-it.ts'

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
    {
      watching: { acknowledgments },
      reachability,
    }: {
      watching: Pick<WatchStore, 'acknowledgments'>
      reachability: Pick<Reachability, 'explainPerson'>
    },
  ) {
    const { workspaceId, userId } = context
    const pressed = { cardId, version }
    // Remembered, because a retry after a crash would find that they no longer have the outages.
    const person = await context.remember('person', async () => {
      const owned = await acknowledgments.listPressedBy(workspaceId, pressed, userId)
      const { name = to } = await context.findActor(to)
      if (!owned || owned.incidents.length === 0) return { name }
      const { channelId, scope } = owned
      // Everything that they are on can be in several channels, so then only the person is looked up.
      const origin = { ...scope, channelId: channelId ?? '', ownerIds: [userId] }
      const place = channelId === undefined ? { ...scope } : toPlace(origin)
      const reason = await reachability.explainPerson(place, to)
      return { name, reason, handedOver: { channelId, environment: scope.environment } }
    })
    if (person.reason) throw new FieldErrors({ to: `${person.name} ${person.reason}. Choose someone else.` })
    const step = { verb: '/hc watch-hand-over', object: `card ${cardId}`, after: { to }, isRepeatable: true }
    const names = await context.change(step, async () => {
      const newOwner = { userId: to, name: person.name }
      const handedOver = await acknowledgments.handOver(workspaceId, pressed, userId, newOwner)
      return handedOver.map(({ check }) => incidentName(check))
    })
    const count = names.length
    if (count === 0 || to === userId || !person.handedOver) return handedOverView(person.name, count)
    const { name = userId } = await context.actor()
    const isTold = await sendDirectStep(
      context,
      { verb: '/hc watch-hand-over', object: `message to ${to}` },
      to,
      handedToYouView({ ...person.handedOver, names, by: name }),
    )
    return handedOverView(person.name, count, isTold)
  },
})
