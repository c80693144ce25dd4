import fc from 'fast-check'
import { readSeed } from './random.ts'

// Makes fast-check use the seed of the test run. With a seed of its own, a failure couldn't be repeated by setting SEED.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: readSeed() })
