import { FieldErrors } from '@signalman/runtime'
import { peopleInput } from '@signalman/slack'
import type { Reachability } from '../../../../bot/access/reachable.ts'
import { form } from '../../../../bot/forms/form.ts'
import { sendDirectStep } from '../../../../bot/posts/post-step.ts'
import { pluralize } from '../../../../domain/wording.ts'
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
    // Remembered, because a retry after a crash would find that they no longer have the outages.
    const person = await context.remember('person', async () => {
      const pressed = await acknowledgments.listPressedBy(workspaceId, { cardId, version }, userId)
      const { name = to } = await context.findActor(to)
      if (!pressed || pressed.incidents.length === 0) return { name }
      const { channelId, scope, incidents } = pressed
      // Everything that they are on can be in several channels, so then only the person is looked up.
      const origin = { ...scope, channelId: channelId ?? '', ownerIds: [userId] }
      const place = channelId === undefined ? { ...scope } : toPlace(origin)
      const reason = await reachability.explainPerson(place, to)
      const { environment } = scope
      return { name, reason, owned: { channelId, environment, ids: incidents.map(({ id }) => id) } }
    })
    if (person.reason) throw new FieldErrors({ to: `${person.name} ${person.reason}. Choose someone else.` })
    const { owned } = person
    if (!owned) return handedOverView(person.name, 0)
    const step = { verb: '/hc watch-hand-over', object: `card ${cardId}`, after: { to }, isRepeatable: true }
    const names = await context.change(step, async () => {
      const scope = { workspaceId, environment: owned.environment }
      const newOwner = { userId: to, name: person.name }
      const incidents = await acknowledgments.handOver(scope, owned.ids, userId, newOwner)
      return incidents.map(({ check }) => incidentName(check))
    })
    if (names.length === 0 || to === userId) return handedOverView(person.name, names.length)
    const { name = userId } = await context.actor()
    const isTold = await sendDirectStep(
      context,
      {
        verb: '/hc watch-hand-over',
        object: `message to ${to}`,
        after: { about: `handing over ${pluralize(names.length, 'outage')}` },
      },
      to,
      handedToYouView({ ...owned, names, by: name }),
    )
    return handedOverView(person.name, names.length, isTold)
  },
})
