update provider_counts set ranges = 16;
