/** `holdfast completion` in zsh and fish, where they are installed (docs/command-line.md#completion). */
import { describeShell, fish, zsh } from '../../support/completion.ts';

describeShell('zsh', zsh);
describeShell('fish', fish);
