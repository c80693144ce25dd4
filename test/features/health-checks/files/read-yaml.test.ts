import { describe, expect, it } from 'vitest'
import { readYaml } from '../../../../src/features/health-checks/files/read-yaml.ts'

async function linesOf(text: string): Promise<number[]> {
  const lines: number[] = []
  for await (const { line } of readYaml(Buffer.from(text))) lines.push(line)
  return lines
}

describe('a YAML file', () => {
  it.each([
    { text: 'name: web\nport: 443\n' },
    { text: 'checks:\n  web: {port: 443}\n' },
    { text: 'checks: none\n' },
    { text: '# nothing yet\n' },
  ])('without a list has no health checks in it: $text', async ({ text }) => {
    await expect(linesOf(text)).rejects.toThrow('There are no health checks in this file.')
  })

  it('with an alias is told to write out what that stands for', async () => {
    await expect(linesOf('- &one\n  name: x\n- *one\n')).rejects.toThrow('This file uses aliases (*name).')
  })

  it('names the line of each entry, however it is written', async () => {
    expect(await linesOf('# two\nchecks:\n  - name: a\n    port: 1\n  - name: b\n')).toEqual([3, 5])
    expect(await linesOf('checks: [{name: a},\n  {name: b}]\n')).toEqual([1, 2])
  })
})
