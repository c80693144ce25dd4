import { expect, it } from 'vitest'
import { readCardTexts } from '../model/card-texts.ts'
import { createModel } from '../model/model.ts'

it('finds no gap where earlier polls are saved in the round of the next one', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinutes(3)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(90)
  expect(readCardTexts(model).join('\n')).not.toContain('not observed')
})
