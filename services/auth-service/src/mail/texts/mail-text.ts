/** Why a code is mailed. */
export type CodeTemplate = 'verification' | 'recovery'

/** What is told to users of their account, besides codes. */
export type NoticeTemplate = 'password_changed' | 'account_locked' | 'token_reused'

export type MailTemplate = CodeTemplate | NoticeTemplate

/** Of the project, where it is to be named. */
type Project = string | null

export type CodeText = {
  /** `noun`: the word for a code, or for a link, as `nouns` has it. */
  subject: (noun: string) => string
  /** The code or the link follows. */
  intro: (noun: string, project: Project) => string
  validity: (minutes: number) => string
  /** What to do when it was not the reader: a paragraph each. */
  otherwise: (noun: string) => readonly string[]
}

export type NoticeText = {
  subject: string
  paragraphs: (project: Project) => readonly string[]
}

/** What each mail says in one language. */
export type MailTexts = {
  greeting: string
  nouns: { code: string; link: string }
} & Readonly<Record<CodeTemplate, CodeText>> &
  Readonly<Record<NoticeTemplate, NoticeText>>
