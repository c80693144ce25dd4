import { readdirSync } from 'node:fs'
import { readSource } from '../source-files.ts'

const listPages = (folder: string): string[] =>
  readdirSync(`${import.meta.dirname}/../../${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

const DOCS: readonly string[] = listPages('docs')

/** All pages that people read, also outside `docs`. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'GLOSSARY.md',
  ...DOCS,
  ...['runtime', 'slack', 'durable', 'playground', 'sandbox'].map((name) => `packages/${name}/README.md`),
]

const FENCE = /^( *)```(\w*)\n([\s\S]*?)\n\1```$/gm

export const readFencedBlocks = (page: string, language: string): string[] =>
  [...readSource(page).matchAll(FENCE)].flatMap(([, indent = '', named, text = '']) =>
    named === language ? [text.replaceAll(`\n${indent}`, '\n').replace(indent, '')] : [],
  )

export const readProse = (page: string): string => readSource(page).replaceAll(FENCE, '')
