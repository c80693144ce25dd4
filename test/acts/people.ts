import type { Deployment } from './deployment.ts'

/** Adds people to the workspace. Returns the deployment as each pair of a member and an admin uses it. */
export async function addPairs(deployment: Deployment, count: number): Promise<Deployment[]> {
  const { slack } = deployment
  const numbers = Array.from({ length: count }, (_, index) => index)
  const people = numbers.flatMap((number) => [
    { name: `member-${number}` },
    { name: `admin-${number}`, role: 'admin' as const },
  ])
  const loaded = await slack.load({ people })
  if (!loaded.ok) throw new Error(loaded.message)
  const state = await slack.member.state()
  const find = (name: string) => {
    const found = state.people.find((person) => person.name === name)
    if (!found) throw new Error(`There is no ${name}.`)
    return slack.user(found.id)
  }
  const channels = state.channels.filter((channel) => ['general', 'operations'].includes(channel.name))
  return Promise.all(
    numbers.map(async (number) => {
      const [member, admin] = [find(`member-${number}`), find(`admin-${number}`)]
      for (const person of [member, admin]) for (const { id } of channels) await person.join(id)
      return Object.create(deployment, { slack: { value: { ...slack, member, admin } } }) as Deployment
    }),
  )
}
