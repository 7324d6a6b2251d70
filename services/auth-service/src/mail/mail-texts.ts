import type { MailLocale } from '@surehook/contracts/http/admin/auth-settings'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import type { MailTexts } from './texts/mail-text.ts'

/** The texts of each mail, by locale. */
export const mailTexts: Readonly<Record<MailLocale, MailTexts>> = { en, de, fr, es }
