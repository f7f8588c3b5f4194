"""Language models and embedders behind small protocols; prompts as files. Nothing heavy is imported here."""
