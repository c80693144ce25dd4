import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'

it('shows what is down in the same lines for /hc and /hc down', async () => {
  await using world = await startWorld({
    checks: [
      ...Array.from({ length: 12 }, (_, index) => ({ name: `shop-${index}`, status: 'UNHEALTHY' as const })),
      { name: 'blog', status: 'HEALTHY' },
    ],
  })
  const { member } = world.slack
  const readLines = async (line: string) => {
    const { message } = await member.command('/hc', line)
    return { lines: message?.text.match(/^🔴 .*/gm) ?? [], blocks: JSON.stringify(message?.blocks) }
  }
  const summary = await readLines('')
  const down = await readLines('down')
  const { blocks } = await readLines('list')
  expect(summary.lines).toHaveLength(10)
  expect(down.lines).toHaveLength(12)
  expect(down.lines).toEqual(expect.arrayContaining([...summary.lines]))
  for (const shown of [summary, down]) expect(shown.blocks).not.toContain('"table"')
  expect(blocks).toContain('"table"')
})
